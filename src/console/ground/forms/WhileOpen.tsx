import { useEffect } from "preact/hooks"

/** Among the fields of a dialog: says when it opens and when it closes, so that what it shows is loaded only then. */
export const WhileOpen = ({ begin, end }: { readonly begin: () => void; readonly end: () => void }) => {
  useEffect(() => {
    begin()
    return end
  }, [])
  return null
}
