import { imagePlace, imageReference, outsidePlace } from '../../normalize/artifact.js';
import { readColumns } from '../../normalize/columns.js';
import type { Surroundings } from '../../normalize/json-format.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import { asObject, textAt } from '../../readers/json/fields.js';
import type { ImportOptions, ReportSource } from '../../types.js';

/** Where scans stand: of twistcli, in the interface's list of images, and in that of its scans. */
export const SCANS = ['results[*].', '$[*].', '$[*].entityInfo.'];
const PACKAGES = SCANS.map((at) => `${at}packages[*]`);
const MEMBERS = ['id', '_id', 'name', 'hostname', 'distro', 'osDistro', 'digest', 'repoTag', 'instances', 'type'];
export const TWISTLOCK_SURROUNDINGS = SCANS.flatMap((at) => MEMBERS.map((name) => `${at}${name}`));

/** One scanned image or host. */
export interface TwistlockScan {
  place: PlaceDraft;
  /** The distribution, `Debian GNU/Linux 9 (stretch)`. */
  distro: string | undefined;
  digests: string[] | undefined;
  /** The kinds of its packages, by name and version. */
  packageTypes: ReadonlyMap<string, string>;
}

const NO_TYPES: ReadonlyMap<string, string> = new Map();

/** The scans of a report by their place in it. */
export class TwistlockScans {
  private readonly scans = new Map<string, TwistlockScan>();

  constructor(
    private readonly surroundings: Surroundings,
    private readonly packageTypes: ReadonlyMap<string, ReadonlyMap<string, string>>,
    readonly options: ImportOptions,
  ) {}

  static async read(surroundings: Surroundings, options: ImportOptions, source: ReportSource): Promise<TwistlockScans> {
    const types = new Map<string, Map<string, string>>();
    for await (const { list, indices, values } of readColumns(source, PACKAGES, ['type', 'name', 'version'])) {
      const [type, name, version] = [textAt(values, 'type'), textAt(values, 'name'), textAt(values, 'version')];
      if (type === undefined || name === undefined) continue;
      const key = `${list.slice(0, -'packages[*]'.length)}${indices[0]}`;
      const own = types.get(key) ?? new Map<string, string>();
      types.set(key, own.set(`${name}@${version}`, type));
    }
    return new TwistlockScans(surroundings, types, options);
  }

  /** The scan that a record of this path lies in. */
  at(path: string, indices: readonly number[]): TwistlockScan {
    const list = [...SCANS].reverse().find((at) => path.startsWith(at)) as string;
    const key = `${list}${indices[0]}`;
    const known = this.scans.get(key);
    if (known !== undefined) return known;
    const scan = this.scanOf(list, indices);
    this.scans.set(key, scan);
    return scan;
  }

  /** All scans that have an id. */
  get all(): TwistlockScan[] {
    return SCANS.flatMap((at) =>
      ['id', '_id'].flatMap((name) => this.surroundings.all(`${at}${name}`).map(({ indices }) => this.at(`${at}${name}`, indices))),
    );
  }

  private scanOf(list: string, indices: readonly number[]): TwistlockScan {
    const text = (name: string): string | undefined => this.surroundings.textNear(`${list}${name}`, indices);
    const tag = asObject(this.surroundings.near(`${list}repoTag`, indices));
    const repository = textAt(tag, 'repo');
    const instances = this.surroundings.near(`${list}instances`, indices);
    const instance = textAt(asObject(Array.isArray(instances) ? instances[0] : undefined), 'image');
    const image =
      repository === undefined ? instance : imageReference({ registry: textAt(tag, 'registry'), repository, tag: textAt(tag, 'tag') });
    const id = text('id') ?? text('_id');
    const name = text('name') ?? image ?? this.options.artifact ?? text('hostname') ?? id ?? 'image';
    const distro = text('distro') ?? text('osDistro');
    const isHost = text('type') === 'host' || (image === undefined && text('name') === undefined && text('hostname') !== undefined);
    const digest = text('digest');
    const digests = digest === undefined ? undefined : [`${name.replace(/(?::[^/:@]+)?(?:@.*)?$/, '')}@${digest}`];
    const metadata = {
      image_id: /^sha256:/.test(id ?? '') ? id : undefined,
      image_digests: digests,
      os: distro,
    };
    return {
      place: isHost ? outsidePlace(name, 'host', this.options) : imagePlace(name, this.options, metadata),
      distro,
      digests,
      packageTypes: this.packageTypes.get(`${list}${indices[0]}`) ?? NO_TYPES,
    };
  }
}
