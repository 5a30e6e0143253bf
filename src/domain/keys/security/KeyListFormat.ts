/** The format name of a signed list of keys, so that nothing else that is signed can be taken for one. */
export const keyListType = "signing_keys"

/** How many keys a list has at most, the revoked ones among them; half of them may be revoked. So many signatures it has at most. */
export const mostListedKeys = 1000

/** How long a list of keys is at most, in characters. One of {@link mostListedKeys} has about 600,000. */
export const longestKeyList = 1_000_000
