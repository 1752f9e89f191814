import { isAdministrator } from '../../../catalog/access/edges/types.js';
import { AttackGraphBuilder } from '../../../kit/graph/builder.js';
import { INTERNET, type Condition, type GraphNode, type GraphStep, type Hold, type Jewel } from '../../../kit/graph/types.js';
import type { Provider } from '../../../schema/model.js';
import type { Figure } from '../model/model.js';
import { stated } from './conditions.js';
import type { EdgeAccess } from './edges.js';
import type { Estate } from './estate.js';
import { administratorJewel, jewelsOf } from './jewels.js';

/** The graph of an estate in the making: what each subject adds to it is in a file of its own. */
export class Assembly {
  readonly builder = new AttackGraphBuilder();
  readonly jewels: ReadonlyMap<string, Jewel>;
  private readonly facts = new Map<string, readonly Condition[]>();

  constructor(readonly estate: Estate) {
    this.jewels = jewelsOf(estate);
  }

  /** The node of a resource, or of what edges of access lead to; null for what nobody knows. */
  node(uid: string, hold: Hold | null = null): number {
    const known = this.builder.find(uid, hold);
    if (known !== undefined) return known;
    const number = this.builder.node(this.described(uid, hold));
    const jewel = isAdministrator(uid) ? this.administrator(uid) : this.jewels.get(uid);
    // a machine is won by code, data by reading it
    if (jewel !== undefined && hold === (this.estate.runsCode(uid) ? 'code' : null)) this.builder.jewel(number, jewel);
    return number;
  }

  /** Where rights start: an identity, or the code of what has rights of its own. */
  holder(uid: string): number {
    return this.node(uid, this.estate.runsCode(uid) ? 'code' : null);
  }

  step(from: number, to: number, kind: GraphStep['kind'], figure: Figure | number, conditions: readonly Condition[]): void {
    const probability = typeof figure === 'number' ? figure : this.estate.figure(figure);
    this.builder.step(from, to, { kind, probability, conditions });
  }

  /** What the inventory or the policies say; the same of the same words, so that steps share it. */
  fact(engine: 'di' | 'iam' | 'network-security', text: string, cause: string): readonly Condition[] {
    const known = this.facts.get(`${text}\n${cause}`);
    if (known !== undefined) return known;
    const conditions = [stated(engine, text, cause)];
    this.facts.set(`${text}\n${cause}`, conditions);
    return conditions;
  }

  /** What lets an identity do something: its policy, and the way where it is a known one. What anybody may do, what it is done to allows. */
  granted(from: string, to: string, access: EdgeAccess): readonly Condition[] {
    const by = access?.by[0]?.resource_uid;
    const way = access?.way ?? null;
    const given = by === undefined || by === from ? 'Its own policy allows it' : `${by} allows it`;
    const text = `${given}${way === null ? '' : `, by the known way ${way}`}${access?.conditional === true ? ', under a condition' : ''}`;
    return this.fact('iam', text, by === undefined && from === INTERNET ? `open:${to}` : `grant:${by ?? from}`);
  }

  private administrator(uid: string): Jewel {
    const [, provider = '', account = ''] = /^([a-z0-9]+)\/(.*)\/administrator$/.exec(uid)!;
    return administratorJewel(provider, account);
  }

  private described(uid: string, hold: Hold | null): GraphNode {
    const asset = this.estate.assets.get(uid);
    if (asset !== undefined) {
      const { resource_type, resource_name, provider, account_id, region } = asset;
      return { uid, kind: 'asset', hold, type: resource_type, name: resource_name, provider, account_id, region };
    }
    const access = this.estate.accessNodes.get(uid);
    if (access !== undefined || isAdministrator(uid)) {
      const kind = isAdministrator(uid) ? 'administrator' : 'scope';
      const { type = kind, name = uid, provider = null, account_id = null } = access ?? {};
      return { uid, kind, hold, type, name, provider, account_id, region: null };
    }
    const segment = this.estate.segments.get(uid);
    if (segment !== undefined) {
      const { name, provider, account_id } = segment;
      return { uid, kind: 'segment', hold, type: 'network_segment', name, provider: provider as Provider, account_id, region: null };
    }
    const kind = uid === INTERNET ? 'internet' : 'outsider';
    return { uid, kind, hold, type: kind, name: uid, provider: null, account_id: null, region: null };
  }
}
