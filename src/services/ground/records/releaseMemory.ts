/**
 * Gives the memory of a buffer that nobody reads any more back at once. V8 does that when it next collects its young
 * objects, and it is the objects alone that bring it to that, up to 32 MiB: work that makes large buffers and few objects
 * holds tens of megabytes for nothing. Every view of the buffer is empty afterwards.
 */
export const releaseMemory = (buffer: ArrayBufferLike): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
