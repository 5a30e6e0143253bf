import type { RefObject } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { onKey } from "../design/Keys.ts"
import { count } from "../design/Numbers.ts"

interface ComboboxOptions<Option> {
  readonly text: string
  readonly onText: (text: string) => void
  readonly options: ReadonlyArray<Option>
  /** The answer that the options come from: with another one, the first option is pointed at. */
  readonly answer: unknown
  /** Whether the options are those of the text, and not of an earlier one. */
  readonly isCurrent: boolean
  /** Whether there is something to show for the text. */
  readonly isShown: boolean
  readonly onChoose: (option: Option) => void
  /** Called when an option was chosen, or Escape closed them. */
  readonly onLeave?: () => void
}

/** The state of a combobox. */
export interface Combobox<Option> {
  readonly text: string
  readonly onText: (text: string) => void
  readonly listId: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly options: ReadonlyArray<Option>
  /** The option that Enter chooses. */
  readonly at: number
  readonly point: (index: number) => void
  readonly choose: (option: Option | undefined) => void
  readonly isShown: boolean
  /** The number of options for the text, in words for screen readers. */
  readonly said: string
  /** The attributes of the text field. */
  readonly field: object
}

/**
 * A text field with options for its text (a combobox as in WAI-ARIA 1.2). The arrow keys move through them, Enter chooses
 * one, Escape closes them. An Enter that comes before the answer chooses the first option of it.
 */
export function useCombobox<Option>(
  { answer, isCurrent, isShown: hasText, onChoose, onLeave, onText, options, text }: ComboboxOptions<Option>
): Combobox<Option> {
  const listId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(0)
  // Known at once: several keys may be pressed before the first is painted.
  const pointed = useRef(at)
  const input = useRef<HTMLInputElement>(null)
  // Enter was pressed before the answer came.
  const isAwaited = useRef(false)
  const isShown = isOpen && hasText
  const point = (index: number) => {
    pointed.current = index
    setAt(index)
  }
  const close = () => {
    isAwaited.current = false
    setIsOpen(false)
  }
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    close()
    onChoose(option)
    onLeave?.()
  }
  useLayoutEffect(() => point(0), [answer])
  useEffect(() => document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" }), [at])
  useEffect(() => {
    if (isAwaited.current && isCurrent) choose(options[0])
  }, [isCurrent, answer])
  const onKeyDown = onKey((key, event) => {
    if (key === "Escape") {
      // It closes the options, and not the dialog that they are in.
      if (isShown) event.preventDefault()
      close()
      onLeave?.()
    }
    if (key === "Enter" && isOpen && (text.trim() !== "" || isShown && options.length > 0)) {
      event.preventDefault()
      if (isCurrent) choose(options[pointed.current])
      else isAwaited.current = true
    }
    if (key !== "ArrowDown" && key !== "ArrowUp" || options.length === 0) return
    event.preventDefault()
    setIsOpen(true)
    if (isOpen) point((pointed.current + (key === "ArrowDown" ? 1 : options.length - 1)) % options.length)
  })
  const many = options.length
  const said = !isShown || !isCurrent
    ? ""
    : many === 0
    ? "No results"
    : many === 1
    ? "1 result"
    : `${count(many)} results`
  const field = {
    ref: input,
    role: "combobox",
    "aria-expanded": isShown,
    "aria-controls": listId,
    "aria-autocomplete": "list",
    ...(isShown && many > 0 ? { "aria-activedescendant": `${listId}-${at}` } : {}),
    value: text,
    autocomplete: "off",
    spellcheck: false,
    onInput: (event: InputEvent) => {
      isAwaited.current = false
      setIsOpen(true)
      onText((event.currentTarget as HTMLInputElement).value)
    },
    onFocus: () => setIsOpen(true),
    onBlur: close,
    onKeyDown
  }
  return { text, onText, listId, input, options, at, point, choose, isShown, said, field }
}
