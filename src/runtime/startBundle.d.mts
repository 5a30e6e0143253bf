/** The bundle of a program; undefined where there is none, or where it was made from other sources or packages. */
export declare const freshProgram: (program: "main" | "cli") => string | undefined

/** Where it is kept what the client was made from, of which git keeps only that (build/clientContract.ts). */
export declare const contractRecord: string

/** The file in it that names what it was made from. */
export declare const record: string

/** What npm has installed, in its own words. */
export declare const packages: string

/** A hash of the content of files, which are named from the checkout; undefined where one of them is missing. */
export declare const digest: (paths: ReadonlyArray<string>) => string | undefined

/** The size of each file and the time of its last change, as numbers; undefined where one is missing. */
export declare const stamps: (paths: ReadonlyArray<string>) => ReadonlyArray<number> | undefined
