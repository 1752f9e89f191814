/** ASCII alone: other letters may turn into somebody else's address when they are put in lower case. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,186}[A-Za-z0-9])?$/;

/** An e-mail address that an identity provider names, in lower case; null for any other text. */
export const readAddress = (text: string): string | null => (ADDRESS.test(text) ? text.toLowerCase() : null);
