const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern of texts that hold `text` literally, in any case. */
export const literalPattern = (text: string) => ({ $regex: literal(text), $options: 'i' }) as const;

/** The condition that one of `fields` holds `text` literally, in any case. */
export function containsText(fields: readonly string[], text: string): { $or: Record<string, unknown>[] } {
  const pattern = literalPattern(text);
  return { $or: fields.map((field) => ({ [field]: pattern })) };
}
