import { derivedRules } from '../../catalog/derived.js';
import { derivedFindings } from '../../kit/findings/derived.js';
import { readDataClasses } from '../../kit/read/inventory.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { RowOf } from '../../kit/store/collection.js';
import { stores } from './stores.js';

/** Classes of data that everybody may see. */
const OPEN = new Set(['public', 'open', 'none', 'unclassified']);
/** Kinds of stores that are read without signing in where they are public; the others are reached over the internet, and ask who comes. */
const READ_BY_ANYBODY = ['object', 'block', 'file', 'registry'];
const AT_ONCE = 200;

/** Stores of sensitive data that anybody reads. */
export const storeFindings = derivedFindings({
  rules: derivedRules('stores'),
  async *failures(context) {
    let page: PublicStore[] = [];
    for await (const store of context.collection(stores.projection.rows).scan({ public: true, kind: { $in: READ_BY_ANYBODY } })) {
      if (page.push(store) < AT_ONCE) continue;
      yield* sensitive(context, page);
      page = [];
    }
    yield* sensitive(context, page);
  },
});

type PublicStore = RowOf<typeof stores.projection.rows>;

async function* sensitive(context: EngineContext, page: readonly PublicStore[]) {
  if (page.length === 0) return;
  const classes = await readDataClasses(
    context,
    page.map(({ resource_uid }) => resource_uid),
  );
  for (const resource of page) {
    const data_classes = (classes.get(resource.resource_uid) ?? []).filter((name) => !OPEN.has(name.toLowerCase()));
    if (data_classes.length > 0)
      yield {
        rule_id: 'palisade-sensitive-store-public',
        resource,
        evidence: { attribute: 'public', actual: true, expected: 'false', data_classes },
      };
  }
}
