import { bufferSource, DETECT_BYTES, NotOfFormat, type ReportFormat } from '../importers/index.js';
import { observationSchema, ruleSchema } from '../schema/observations.js';
import { findSecretPaths } from '../redaction/secret-keys.js';

/** What became of a report that nobody meant. */
export type Outcome =
  | { readonly kind: 'read'; readonly broken: number; readonly truncated: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'wrong'; readonly why: string };

/** A number of each format's own, the same in every run. */
export const seedOf = (format: string, seed: number): number =>
  [...format].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, seed);

/** Reads a report as an import does: it is read, with what is broken in it counted, or refused. Anything else is wrong. */
export async function readMutated(format: ReportFormat, bytes: Buffer): Promise<Outcome> {
  const counts = { broken: 0, truncated: 0 };
  try {
    format.detect(bytes.toString('utf8', 0, DETECT_BYTES));
    await format.observedAt?.(bufferSource(bytes));
    for await (const item of format.read(bufferSource(bytes), { account_id: 'a', artifact: 'b', provider: 'aws' })) {
      if (item.kind === 'broken' || item.kind === 'truncated') counts[item.kind]++;
      const isFit =
        item.kind === 'observation'
          ? observationSchema.safeParse(item.observation)
          : item.kind === 'rule'
            ? ruleSchema.safeParse(item.rule)
            : { success: true as const };
      if (!isFit.success) return { kind: 'wrong', why: `an item that the model does not allow: ${isFit.error.message.slice(0, 300)}` };
      if (findSecretPaths(item).length > 0) return { kind: 'wrong', why: 'a secret in an item' };
    }
    return counts.truncated > 1 ? { kind: 'wrong', why: 'it says twice that it was cut' } : { kind: 'read', ...counts };
  } catch (error) {
    if (error instanceof NotOfFormat) return { kind: 'refused' };
    return { kind: 'wrong', why: error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error) };
  }
}
