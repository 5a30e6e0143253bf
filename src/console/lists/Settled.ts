import { useLayoutEffect, useState } from "preact/hooks"

/** A value, once it has been the same for so many milliseconds. */
export const useSettled = <A>(value: A, pause: number): A => {
  const [settled, setSettled] = useState(value)
  useLayoutEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause)
    return () => clearTimeout(timer)
  }, [value, pause])
  return settled
}
