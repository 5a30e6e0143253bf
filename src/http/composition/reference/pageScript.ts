/**
 * The script of the pages of the reference. It is served as its own text, so it is whole in itself and uses nothing of this
 * module. No text of an answer becomes an element: the policy of the pages would refuse it (Trusted Types).
 */
const inPage = (): void => {
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E | null

  /** Follows links into the reference as it was: the places are the same, behind a name that the document had there. */
  const followEarlierLink = () => {
    const [, earlier] = /^#api-1\/(?:description\/)?(.+?)(?:\.(?:path|query|headers|body)\..*)?$/.exec(location.hash) ??
      []
    const decoded = (text: string): string => {
      try {
        return decodeURIComponent(text)
      } catch {
        // A link that somebody cut off.
        return ""
      }
    }
    if (earlier !== undefined && find(decoded(earlier)) !== null) location.replace(`#${earlier}`)
  }

  /** Narrows the list of the start page to what has every word that was typed. */
  const offerFilter = () => {
    const filter = find<HTMLInputElement>("filter")
    if (filter === null) return
    const items = [...document.querySelectorAll<HTMLElement>("[data-words]")]
    const groups = [...document.querySelectorAll<HTMLElement>("[data-group]")]
    const narrow = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "")
      for (const item of items) item.hidden = !words.every((word) => item.dataset["words"]!.includes(word))
      for (const group of groups) group.hidden = group.querySelector("[data-words]:not([hidden])") === null
      const shown = items.filter(({ hidden }) => !hidden).length
      find("filter-count")!.textContent = words.length === 0
        ? ""
        : shown === 0
        ? "No matches."
        : `${shown} of ${items.length}`
    }
    filter.addEventListener("input", narrow)
    find("filter-field")!.hidden = false
    // A browser may have restored a text in the field when somebody comes back.
    narrow()
  }

  /** Adds buttons that copy what is written in a terminal, where the browser lets pages write into the clipboard. */
  const offerCopies = () => {
    for (const sample of navigator.clipboard === undefined ? [] : document.querySelectorAll<HTMLElement>(".sample")) {
      const button = document.createElement("button")
      const said = document.createElement("span")
      button.type = "button"
      button.textContent = "Copy"
      said.setAttribute("role", "status")
      button.addEventListener("click", () => {
        navigator.clipboard.writeText(sample.querySelector("pre")!.textContent).then(
          () => said.textContent = "Copied",
          () => said.textContent = "The browser did not allow it"
        )
      })
      sample.querySelector(".sample-bar")!.append(said, button)
    }
  }

  /** Sends requests from the page of an operation, and shows their answers. */
  const offerRequests = () => {
    const form = find<HTMLFormElement>("try-form")
    if (form === null) return
    const status = find("try-status")!
    const body = find<HTMLTextAreaElement>("try-body")
    const button = form.querySelector("button")!
    const saved = find<HTMLAnchorElement>("try-save")!
    const parameters = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-in]")]
    /** More than this is saved, not shown. */
    const longest = 200_000
    let isUnderWay = false

    /** A value that nobody has used: 128 random bits. */
    const fresh = () =>
      [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    const keys = parameters.filter((parameter) => "fresh" in parameter.dataset)
    for (const key of keys) key.value = fresh()

    const bodyError = (text: string) => {
      find("try-body-error")!.textContent = text
      if (text === "") body!.removeAttribute("aria-invalid")
      else body!.setAttribute("aria-invalid", "true")
    }
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text)
        bodyError("")
        return true
      } catch (error) {
        bodyError(`This is no JSON: ${(error as Error).message}`)
        return false
      }
    }

    /** The request as the form says it. */
    const requestOf = (): readonly [address: string, request: RequestInit] => {
      const headers = new Headers()
      const query = new URLSearchParams()
      let path = form.dataset["path"]!
      for (const { dataset, value } of parameters) {
        const name = dataset["name"]!
        if (dataset["in"] === "path") path = path.replace(`{${name}}`, encodeURIComponent(value))
        else if (value !== "" && dataset["in"] === "query") query.append(name, value)
        else if (value !== "") headers.set(name, value)
      }
      const credential = find<HTMLInputElement>("try-credential")
      if (credential !== null) headers.set("authorization", `${credential.dataset["word"]} ${credential.value.trim()}`)
      const text = body?.value.trim() ?? ""
      if (text !== "") headers.set("content-type", "application/json")
      return [query.size === 0 ? path : `${path}?${query}`, {
        method: form.dataset["method"]!,
        headers,
        ...(text === "" ? {} : { body: text }),
        cache: "no-store",
        credentials: "omit"
      }]
    }

    const inLines = (text: string, type: string): string => {
      if (!/json/.test(type)) return text
      try {
        return JSON.stringify(JSON.parse(text), null, 2)
      } catch {
        return text
      }
    }

    /** Shows an answer, and where the page of its error is. */
    const show = async (response: Response, took: number) => {
      const bytes = await response.blob()
      const type = response.headers.get("content-type") ?? ""
      const isText = /json|text|yaml|xml/.test(type)
      const text = isText ? await bytes.text() : ""
      find("try-headers")!.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")
      const content = find("try-content")!
      content.hidden = bytes.size === 0
      content.textContent = !isText
        ? `${bytes.size} bytes of ${type}`
        : text.length > longest
        ? `${text.slice(0, longest)}\n… and ${text.length - longest} characters more`
        : inLines(text, type)
      URL.revokeObjectURL(saved.href)
      saved.hidden = bytes.size === 0
      saved.href = URL.createObjectURL(bytes)
      saved.download = `${form.dataset["id"]}.${isText ? /json/.test(type) ? "json" : "txt" : "bin"}`
      const error = find<HTMLAnchorElement>("try-error")!
      const [, code] = response.ok ? [] : /"code":"([A-Z_]+)"/.exec(text) ?? []
      error.hidden = code === undefined
      if (code !== undefined) {
        error.href = `/docs/errors/${code}`
        error.textContent = `Meaning of ${code}`
      }
      find("try-answer")!.hidden = false
      status.dataset["outcome"] = response.ok ? "done" : "refused"
      status.textContent = `${response.status} ${response.statusText}, ${Math.round(took)} ms, ${bytes.size} bytes`
    }

    const refuse = (text: string) => {
      status.dataset["outcome"] = "refused"
      status.textContent = text
    }

    /** The typed request; undefined if a header has a character that none may have, such as a letter beyond Latin-1. */
    const typedRequest = () => {
      try {
        return requestOf()
      } catch (error) {
        refuse(`This cannot be sent: ${(error as Error).message}`)
        return undefined
      }
    }

    const send = async () => {
      find("try-answer")!.hidden = true
      const request = typedRequest()
      if (request === undefined) return
      const start = performance.now()
      delete status.dataset["outcome"]
      status.textContent = "Sending …"
      try {
        const response = await fetch(...request)
        await show(response, performance.now() - start)
        // An accepted request has used up its key.
        if (response.ok) { for (const key of keys) key.value = fresh() }
      } catch (error) {
        refuse(`No response: ${(error as Error).message}. Is the service running?`)
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault()
      if (isUnderWay) return
      if (body !== null && body.value.trim() !== "" && !isJson(body.value)) {
        body.focus()
        return
      }
      isUnderWay = true
      button.setAttribute("aria-disabled", "true")
      void send().finally(() => {
        isUnderWay = false
        button.removeAttribute("aria-disabled")
      })
    })
    form.closest("details")!.hidden = false
  }

  followEarlierLink()
  offerFilter()
  offerCopies()
  offerRequests()
}

/** The script of the pages of the reference. */
export const pageScript = (): string => `"use strict";\n(${inPage.toString()})()\n`
