import { inModule, type AddressReference } from '../../importers/terraform/address.js';
import type { TerraformInstance } from '../../importers/terraform/asset.js';
import { providerOf } from '../../importers/terraform/place.js';
import { valuesOf } from './body.js';
import { TooMuchWork } from './estate.js';
import type { Declared } from './module.js';
import type { ModuleInstance } from './module-instance.js';
import { Trace, type Repeated } from './scope.js';
import { plainOf, weightOf } from './value.js';

/** A resource of source code, and where it stands. */
export interface WrittenInstance {
  instance: TerraformInstance;
  references: readonly AddressReference[];
  file: string;
  line: number;
  endLine: number;
}

/** Resources that one root module makes at most. */
const MAX_INSTANCES = 100_000;

/** Providers whose resources are nothing outside of Terraform. */
const HELPERS = new Set(['null', 'random', 'time', 'tls', 'local', 'archive', 'external', 'terraform']);

/** Data sources that are judged: they choose what is trusted, and are in no plan's list of resources. */
const JUDGED_DATA: ReadonlySet<string> = new Set([
  'aws_ami',
  'aws_ami_ids',
  'aws_iam_policy_document',
  'alicloud_images',
  'http',
  'external',
]);

/** The data sources of a module that are judged, as things of a type of their own: a resource may have the same. */
const judgedData = (module: ModuleInstance): [string, Declared][] =>
  [...module.module.data]
    .filter(([, { type }]) => JUDGED_DATA.has(type))
    .map(([key, declared]) => [`data.${key}`, { ...declared, type: `data_${declared.type}` }]);

/** The resources of a module and of those that it calls, as they would be made. */
export function* instancesOf(module: ModuleInstance, made = { count: 0 }): Generator<WrittenInstance> {
  for (const [key, declared] of [...module.module.resources, ...judgedData(module)]) {
    if (providerOf(declared.type) === undefined) {
      const { type, file, block } = declared;
      const [provider] = type.split('_', 1);
      if (!HELPERS.has(provider!))
        module.estate.skip({ file, line: block.line, reason: `${key}: resources of the provider ${provider} are not evaluated` });
      continue;
    }
    const trace = new Trace();
    for (const repeated of module.repetition(declared, trace).instances) {
      made.count += 1;
      if (made.count > MAX_INSTANCES) throw new TooMuchWork(`it makes more than ${MAX_INSTANCES} resources`);
      yield instanceOf(module, key, declared, repeated, trace);
    }
  }
  for (const name of module.module.calls.keys()) for (const child of module.child(name)?.instances ?? []) yield* instancesOf(child, made);
}

function instanceOf(module: ModuleInstance, key: string, declared: Declared, repeated: Repeated, repeatedBy: Trace): WrittenInstance {
  const { type, name, block, file } = declared;
  const address = inModule(module.address, key + repeated.index);
  const references: AddressReference[] = [];
  const sensitive: (string | number)[][] = [];
  const trace = new Trace();
  trace.add(repeatedBy);
  const scope = module.scope(trace, repeated);
  const values = valuesOf(block, scope, (path, { references: found, sensitive: isSensitive }) => {
    const via = path.filter((step) => typeof step === 'string').join('.');
    for (const reference of found) references.push({ name: reference, via });
    if (isSensitive) sensitive.push([...path]);
  });
  const dependsOn = block.attributes.get('depends_on');
  if (dependsOn !== undefined) scope.evaluate(dependsOn, scope);
  for (const reference of trace.references) references.push({ name: reference });
  module.spend(weightOf(values));
  const plain = plainOf(values) as Record<string, unknown>;
  const region = module.regions.get(providerKey(declared));
  return {
    instance: {
      address,
      type,
      name,
      values: plain,
      unknown: [],
      sensitive,
      position: `${file}:${block.line}`,
      ...(region === undefined ? {} : { providerRegion: region }),
    },
    references,
    file,
    line: block.line,
    endLine: block.endLine,
  };
}

/** The provider that a resource is made with: the one that it names, else that of its type. */
function providerKey({ type, block }: Declared): string {
  return block.attributes.get('provider')?.text.replaceAll('"', '') ?? type.replace(/^data_/, '').split('_', 1)[0]!;
}
