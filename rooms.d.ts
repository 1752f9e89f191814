/** Room -> the rooms that it may import. */
export const ROOMS: Readonly<Record<string, readonly string[]>>;
/** Rooms that stand outside of the house and may look into every room. */
export const OUTSIDE: readonly string[];
