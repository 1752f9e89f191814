const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The condition that one of `fields` holds `text` literally, in any case. */
export function containsText(fields: readonly string[], text: string): { $or: Record<string, unknown>[] } {
  const pattern = { $regex: literal(text), $options: 'i' };
  return { $or: fields.map((field) => ({ [field]: pattern })) };
}
