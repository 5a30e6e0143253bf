import { useEffect, useRef, useState } from "preact/hooks"
import { TextField } from "../design/Field.tsx"
import { mayBeKey } from "./KeyLike.ts"
import { useSettled } from "./Settled.ts"

/** A word of this length or longer is taken for a key, and not for a customer code or a device ID. */
const long = 16

/** Whether a text is not sent. Where external IDs are searched, a long word with digits is one of those. */
const isKey = (text: string, takesIds: boolean): boolean => mayBeKey(text, takesIds ? Infinity : long)

/** How long a typing pause is before the list is loaded, in milliseconds. */
const pause = 200

/** A field that filters a list once the person pauses typing; never by a license key, which must not be in a URL. */
export const SearchField = (
  { label, onSettled, takesIds = false, value }: {
    readonly label: string
    /** Whether IDs of other systems are searched for, which may be long. */
    readonly takesIds?: boolean
    /** The text that filters the list now, as in the address of the page. */
    readonly value: string
    readonly onSettled: (value: string) => void
  }
) => {
  const [text, setText] = useState(value)
  const settled = useSettled(text.trim(), pause)
  // The text that was reported comes back as the value while the person types on.
  const reported = useRef(value)
  useEffect(() => {
    if (value === reported.current) return
    reported.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (settled === reported.current || settled !== text.trim() || isKey(settled, takesIds)) return
    reported.current = settled
    onSettled(settled)
  }, [settled])
  return (
    <TextField
      label={label}
      isLong
      type="search"
      value={text}
      onChange={setText}
      wrong={isKey(text.trim(), takesIds)
        ? "Search for license keys in the box at the top, so that they are not stored in the URL."
        : undefined}
    />
  )
}
