/** The bundle of a program; undefined where there is none, or where it was made from other sources or packages. */
export declare const freshProgram: (program: "main" | "cli") => string | undefined
