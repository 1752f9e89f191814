/** The members of an input that are neither null nor left out; both say nothing. */
export const setMembers = (input: object | null | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input ?? {}).filter(([, member]) => member !== null && member !== undefined));
