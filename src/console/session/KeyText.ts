/**
 * Whether a text is a license key of ours, or two groups of one and more. Such a text is sent in a body alone, because
 * addresses are kept in logs and histories.
 */
export const isKey = (text: string): boolean => /^CS(-?[0-9A-Z]{5}){2,}/i.test(text)

/** Whether a text may be a license key that was imported from another system: groups that are joined. */
export const mayBeKey = (text: string): boolean => isKey(text) || /^[0-9A-Z]{3,}(-[0-9A-Z]{3,}){2,}$/i.test(text)
