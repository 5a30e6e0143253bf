/** No part of an address is a space or invisible: such an address looks like another one, and no mail reaches it. */
export const emailPattern =
  /^[^@\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]{1,64}@[^@\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]{1,255}$/u

/** The length of the longest e-mail address, in characters (RFC 5321 section 4.5.3.1). */
export const longestEmail = 320

/** Whether a text is an e-mail address. */
export const isEmail = (text: string): boolean => emailPattern.test(text) && text.length <= longestEmail
