import { attachedName } from "../../../client/api/Texts.ts"

/** Downloads a file under its name. */
export const saveFile = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The browser reads it after this turn of the event loop, within seconds.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Downloads the file of an answer under the name that the service gives it. */
export const saveAnswer = async (answer: Response): Promise<void> =>
  saveFile(await answer.blob(), attachedName(answer.headers.get("content-disposition")))
