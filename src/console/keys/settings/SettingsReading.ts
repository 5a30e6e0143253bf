import type { Countersign, ServiceSettings } from "../../../client/api/index.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { showSettings } from "./LoadedSettings.ts"

/** Reads the settings for a form, which edits them as texts. */
export const settingsReader =
  <Texts>(textsOf: (settings: ServiceSettings) => Texts) => async (client: Countersign, signal?: AbortSignal) => {
    const { data, response } = await client.settings.get(signal === undefined ? {} : { signal }).withResponse()
    return { texts: textsOf(data), etag: response.headers.get("etag") ?? undefined }
  }

/** The settings for a page, which the whole console follows from then on. */
export const useSettings = () =>
  useLoad(async (client, signal) => {
    const found = await client.settings.get({ signal })
    showSettings(found)
    return found
  }, [])
