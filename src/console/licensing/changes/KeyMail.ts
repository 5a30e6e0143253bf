/** A license key in a mail to its customer. */
export const mailOf = (
  { key, name, product }: { readonly key: string; readonly name: string | undefined; readonly product: string }
): string =>
  `Hello${name === undefined ? "" : ` ${name}`},

this is your license key for ${product}:

${key}

Enter it in the app when it asks for a license. Keep this mail: the key is not shown again.
`
