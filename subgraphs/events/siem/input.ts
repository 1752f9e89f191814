import { z } from 'zod';
import { invalid, violationsOf } from '../../../kit/base/errors.js';
import { accessKeyId, bucketFields, bucketPrefix, secretAccessKey } from '../../../kit/outbound/bucket-fields.js';

/** Bytes of a signing secret (Standard Webhooks). */
const SECRET_BYTES = { least: 24, most: 64 };

function isSigningSecret(text: string): boolean {
  const bytes = Buffer.from(text.slice('whsec_'.length), 'base64');
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most;
}

const webhook = z.strictObject({
  url: z.string().max(2_048),
  secret: z.string().refine(isSigningSecret, 'must be whsec_ and 24 to 64 bytes in base64').nullish(),
});

const objectStorage = z.strictObject({
  endpoint: z.string().max(2_048).nullish(),
  ...bucketFields,
  prefix: bucketPrefix.nullish(),
  access_key_id: accessKeyId,
  secret_access_key: secretAccessKey.nullish(),
  path_style: z.boolean().nullish(),
});

const exportInput = z
  .strictObject({
    kind: z.enum(['webhook', 'object_storage']),
    enabled: z.boolean().nullish(),
    format: z.enum(['ndjson', 'ocsf']).nullish(),
    webhook: webhook.nullish(),
    object_storage: objectStorage.nullish(),
    replay_from: z.date().nullish(),
  })
  .superRefine((input, context) => {
    for (const kind of ['webhook', 'object_storage'] as const) {
      const isGiven = input[kind] != null;
      if (isGiven === (kind === input.kind)) continue;
      context.addIssue({ code: 'custom', path: [kind], message: isGiven ? `is not of the kind ${input.kind}` : 'is required' });
    }
  });

export type SiemExportInput = z.infer<typeof exportInput>;

/** @throws PalisadeError VALIDATION_ERROR that names the paths and no value */
export function readExportInput(input: unknown): SiemExportInput {
  const parsed = exportInput.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}
