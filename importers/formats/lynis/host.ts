import { hostPlace } from '../../normalize/host.js';
import type { HostSystem } from '../../normalize/host-package.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { KeyValue } from '../../readers/lines/key-value.js';
import type { ImportOptions } from '../../types.js';

const KEPT = new Set([
  'hostname',
  'domainname',
  'os_fullname',
  'os_name',
  'os_version',
  'hostid',
  'lynis_version',
  'test_category',
  'test_group',
]);

/** The host of a report, whose facts stand before what was found on it. */
export class LynisHost {
  private readonly facts = new Map<string, string>();
  private known: PlaceDraft | undefined;

  constructor(private readonly options: ImportOptions) {}

  take({ key, value, isList }: KeyValue): void {
    if (!isList && value !== '' && KEPT.has(key) && !this.facts.has(key)) this.facts.set(key, value);
  }

  /** Whether all tests were asked for: then what the report does not name is in order. */
  get sawAll(): boolean {
    return ['test_category', 'test_group'].every((key) => (this.facts.get(key) ?? 'all') === 'all');
  }

  get version(): string | undefined {
    return this.facts.get('lynis_version');
  }

  /** The distribution; null where the report does not tell it. */
  get system(): HostSystem | null {
    const id = this.facts.get('os_name');
    return id === undefined ? null : { id, release: this.facts.get('os_version') };
  }

  get place(): PlaceDraft {
    const name = this.facts.get('hostname');
    const hostId = this.facts.get('hostid');
    this.known ??= hostPlace(
      {
        names: [this.options.artifact, name, hostId],
        operatingSystem:
          this.facts.get('os_fullname') ??
          ([this.facts.get('os_name'), this.facts.get('os_version')].filter(Boolean).join(' ') || undefined),
        metadata: hostId === undefined ? {} : { lynis_host_id: hostId },
      },
      this.options,
    );
    return this.known;
  }
}
