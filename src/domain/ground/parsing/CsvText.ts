/**
 * The first characters by which a spreadsheet takes a cell for a formula or a command (OWASP, CSV injection).
 * Full-width forms count too, because some programs fold them.
 */
const formulaStart = /^[=+\-@\t\r\n|%\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * A separator behind which a spreadsheet that takes it for the end of a cell would find a formula: which of them it takes
 * depends on the reader's language and settings, and quotes inside of such a cell mean nothing to it.
 */
const formulaBehind = /(\r\n|[,;\t|\r\n])(?=[ \u00a0\u3000"]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20])/g

/** Most cells: neither a formula nor in need of quotes, told by one look. */
export const plainCell = /^[A-Za-z0-9_](?:[!#-+\--:<-[\]-{}~ ]*[!#-+\--:<-[\]-{}~])?$/

const needsQuotes = /[",\r\n]|^[\s']|\s$/

/**
 * A text as a cell (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe in front, which
 * spreadsheets show as text; so does what would be one behind a separator. Everything else stays as it is, Unicode
 * included.
 */
export const csvText = (text: string, guardsBehind = true): string => {
  if (plainCell.test(text)) return text
  const begun = formulaStart.test(text.trimStart()) || formulaStart.test(text) ? `'${text}` : text
  const safe = guardsBehind ? begun.replaceAll(formulaBehind, "$1'") : begun
  return needsQuotes.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe
}
