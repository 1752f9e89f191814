import type { Statement } from '../cel/policy.js';
import { matchesPattern } from '../cel/policy.js';
import type { Call } from './types.js';

type Condition = Statement['conditions'][number];

/** What a call is known to have, by condition key in lower case. A call is made over TLS: providers' clients do. */
function valueOf(key: string, call: Call): readonly string[] | undefined {
  switch (key) {
    case 'aws:securetransport':
    case 'acs:securetransport':
      return ['true'];
    case 'aws:principalarn':
      return call.principal;
    case 'aws:principalaccount':
      return call.account === undefined ? undefined : [call.account];
    default:
      return undefined;
  }
}

const NEGATED = /^(.*)Not(Equals|Like|EqualsIgnoreCase)$/;

/**
 * Whether the conditions of a statement hold for a call; undefined where only the call itself will tell.
 * Keys are joined by AND, the values of a key by OR (AWS IAM User Guide, "Conditions with multiple context keys or values").
 */
export function conditionsHold(conditions: readonly Condition[], call: Call): boolean | undefined {
  let open = false;
  for (const condition of conditions) {
    const holds = conditionHolds(condition, call);
    if (holds === false) return false;
    if (holds === undefined) open = true;
  }
  return open ? undefined : true;
}

function conditionHolds({ operator, key, values }: Condition, call: Call): boolean | undefined {
  const present = valueOf(key, call);
  if (present === undefined || values.includes(undefined) || values.some((value) => value!.includes('${'))) return undefined;
  const word = operator.replace(/^ForAnyValue:|^ForAllValues:/i, '').replace(/IfExists$/i, '');
  const [, head = '', tail = ''] = NEGATED.exec(word) ?? [];
  const plain = head === '' && tail === '' ? word : `${head}${tail}`;
  if (!/^(String(Equals|Like|EqualsIgnoreCase)|Arn(Equals|Like)|Bool)$/i.test(plain)) return undefined;
  // ARNs are compared as patterns by both operators
  const asPattern = /Like$|^Arn/i.test(plain);
  const equal = present.some((own) =>
    values.some((value) => (asPattern ? matchesPattern(value!, own) : value!.toLowerCase() === own.toLowerCase())),
  );
  return plain === word ? equal : !equal;
}
