/**
 * How many validation intervals a container may stay away. After two its last signed answer has ended
 * (`valid_until`), so it no longer runs on it, and its seat is free for another.
 */
export const lapsesAfterIntervals = 2
