import type { ReportItems } from '../../normalize/observation.js';
import { repositoryFile } from '../../normalize/repository-file.js';
import { secretItems, type SecretPlace } from '../../normalize/secret-finding.js';
import { numberAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem } from '../../types.js';
import type { WizcliContext } from './context.js';

export const SECRETS = 'result.secrets[*]';

/** Where a secret stands, and what kind of one it is: `Passwords And Secrets - Password in URL (https://…)` without the address. */
export function secretPlaceOf(record: JsonObject, { root, options }: WizcliContext): SecretPlace {
  const path = textAt(record, 'path');
  const described = textAt(record, 'description')
    ?.replace(/^Passwords And Secrets - /, '')
    .split('(', 1)[0]
    ?.trim();
  return {
    detector: described ?? textAt(record, 'type') ?? 'secret',
    file: path === undefined ? undefined : repositoryFile(path, { root, artifact: options.artifact }),
    line: numberAt(record, 'lineNumber'),
    column: numberAt(record, 'offset'),
  };
}

/** Turns one secret into its observation. What Wiz shows of it, masked by itself, is not kept. */
export function readSecret(
  record: JsonObject,
  { position }: { position: string },
  context: WizcliContext,
  items: ReportItems,
): ImportItem[] {
  const where = secretPlaceOf(record, context);
  return secretItems(
    {
      source: 'wizcli',
      tool: 'Wiz CLI',
      detector: where.detector,
      file: where.file,
      startLine: where.line,
      rank: context.ranks.rankOf(where),
      evidence: { type: textAt(record, 'type') },
      secrets: [textAt(record, 'snippet')],
      place: context.place,
      position,
    },
    items,
  );
}
