import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

/** A value, once it has been the same for so many milliseconds. */
export const useSettled = <A>(value: A, pause: number): A => {
  const [settled, setSettled] = useState(value)
  useLayoutEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause)
    return () => clearTimeout(timer)
  }, [value, pause])
  return settled
}

/** A value as it is every so many milliseconds: who is told of it is not told of each change. */
export const useEvery = <A>(value: A, pause: number): A => {
  const [told, setTold] = useState(value)
  const latest = useRef(value)
  latest.current = value
  useEffect(() => {
    const timer = setInterval(() => setTold(latest.current), pause)
    return () => clearInterval(timer)
  }, [pause])
  return told
}
