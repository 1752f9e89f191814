import { hostPlace } from '../../normalize/host.js';
import { shortHash } from '../../normalize/identity.js';
import type { PlaceDraft } from '../../normalize/observation.js';
import type { ImportOptions } from '../../types.js';

/** Longer lists of ports are named by a digest. */
const LONGEST_LIST = 40;

/** What a scan looks at, as far as its report was read. */
export class NmapScan {
  private scripts: string | undefined;
  private readonly ports: string[] = [];
  private addresses: string[] = [];
  private names: string[] = [];
  private mac: string | undefined;
  private known: PlaceDraft | undefined;

  constructor(private readonly options: ImportOptions) {}

  /** Whether scripts were run, which may have found vulnerabilities. */
  get hasScripts(): boolean {
    return this.scripts !== undefined;
  }

  /** Takes the command line of the scan. */
  begin(command = ''): void {
    this.scripts = /--script[= ]"?([^\s"]+)/.exec(command)?.[1] ?? (/(?:^|\s)-(?:sC|A)\b/.test(command) ? 'default' : undefined);
  }

  /** Takes the ports that were asked. */
  asked(protocol = 'tcp', services = ''): void {
    this.ports.push(`${protocol} ${services.length > LONGEST_LIST ? shortHash(services) : services}`);
  }

  nextHost(): void {
    this.addresses = [];
    this.names = [];
    this.mac = undefined;
    this.known = undefined;
  }

  address(address: string | undefined, type: string | undefined): void {
    if (address === undefined) return;
    if (type === 'mac') this.mac = address;
    else this.addresses.push(address);
  }

  hostName(name: string | undefined, type: string | undefined): void {
    if (name === undefined) return;
    // the name that was given to the scan, before what the name server has for the address
    if (type === 'user') this.names.unshift(name);
    else this.names.push(name);
  }

  /** The host that is being read. It is known by its address: names that name servers tell change. A scan closes what it asked itself. */
  get place(): PlaceDraft {
    this.known ??= hostPlace(
      {
        names: [this.addresses[0], this.names[0]],
        addresses: this.addresses,
        metadata: {
          ...(this.names.length > 0 && { host_names: this.names.slice(0, 20) }),
          ...(this.mac !== undefined && { mac_address: this.mac }),
        },
      },
      this.options,
      [...this.ports, ...(this.scripts === undefined ? [] : [`scripts ${this.scripts.slice(0, 100)}`])].join(', ') || 'ports',
    );
    return this.known;
  }
}
