/** Where a service is, read. Throws a TypeError by the name of the option where that is no URL of HTTP. */
export const serviceUrl = (baseUrl: string | URL): URL => {
  let url: URL | undefined
  try {
    url = new URL(baseUrl)
  } catch {
    // Its own message names neither the option nor the cure.
  }
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new TypeError(
    `baseUrl must begin with https:// or http://, as https://licenses.example.com does, and is ${
      JSON.stringify(baseUrl)
    }`
  )
}
