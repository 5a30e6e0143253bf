import { signal } from "@preact/signals"

const name = "countersign.letter-keys"

const stored = (): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    // The browser keeps nothing for this page.
    return null
  }
}

/**
 * Whether keys without Ctrl do something outside of fields, such as `/` and `?`. Speech input types single letters by
 * accident (WCAG 2.1.4), so a person can switch them off in this browser.
 */
export const hasLetterKeys = signal(stored() !== "off")

/** Switches the keys on or off. */
export const setLetterKeys = (isOn: boolean): void => {
  hasLetterKeys.value = isOn
  try {
    if (isOn) localStorage.removeItem(name)
    else localStorage.setItem(name, "off")
  } catch {
    // It stays so until the page is closed.
  }
}
