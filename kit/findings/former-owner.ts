/** The engines that release 0.1.0 listed. It gave the observations of all others to `check`. */
const FIRST_LISTED: readonly string[] = ['check', 'container-security', 'secops', 'vulnerability'];
export const FIRST_OWNER = 'check';

/** The engine under which an engine's findings stood before it was listed; null where they always stood under their own. */
export const formerOwnerOf = (engine: string): string | null => (FIRST_LISTED.includes(engine) ? null : FIRST_OWNER);
