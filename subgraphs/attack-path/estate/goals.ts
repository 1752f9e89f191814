import { isAdministrator } from '../../../catalog/access/edges/types.js';
import { coversLocated } from '../../../catalog/access/place.js';
import { INTERNET } from '../../../kit/graph/types.js';
import { pathModel } from '../model/model.js';
import type { Assembly } from './assembly.js';
import type { EdgeAccess } from './edges.js';
import type { EstateAsset } from './types.js';

/** Steps that broad grants make at most, so that one tenant's grants do not fill the memory. */
const MOST_COVERED = 200_000;

/** What rights lead to: jewels, secrets that open more, what can be changed to run elsewhere, and every right of an account. */
export function addGoals(assembly: Assembly): void {
  const goals = new Goals(assembly);
  for (const { from, to, access } of assembly.estate.edgesOf('may_access').all()) if (from !== INTERNET) goals.add(from, to, access);
}

class Goals {
  private readonly needsKey = new Set(pathModel().needs_key);
  /** Who may decrypt with a key: `<identity>\n<key>`. */
  private readonly decrypts = new Set<string>();
  /** Scope -> the worthwhile resources that it is about. */
  private readonly covered = new Map<string, EstateAsset[]>();
  private readonly keyScopes = new Map<string, string[]>();
  private readonly worthwhile: EstateAsset[];
  private left = MOST_COVERED;

  constructor(private readonly assembly: Assembly) {
    const { estate } = assembly;
    for (const { from, to } of estate.edgesOf('may_access').all()) {
      if (estate.assets.get(to)?.role === 'key') this.decrypts.add(`${from}\n${to}`);
      else if (estate.accessNodes.has(to)) this.keyScopes.set(from, [...(this.keyScopes.get(from) ?? []), to]);
    }
    this.worthwhile = [...estate.assets.values()].filter(({ resource_uid: uid }) => this.isGoal(uid, 'read') || this.isGoal(uid, 'write'));
  }

  add(from: string, to: string, access: EdgeAccess): void {
    const { estate } = this.assembly;
    const privilege = access?.privilege ?? 'read';
    const holder = () => this.assembly.holder(from);
    const figure = access?.conditional === true ? 'data_access_conditional' : 'data_access';
    const granted = () => this.assembly.granted(from, to, access);
    if (isAdministrator(to)) {
      this.assembly.step(holder(), this.assembly.node(to), 'data_access', figure, granted());
      return;
    }
    const scope = estate.accessNodes.get(to)?.scope;
    if (scope) {
      for (const asset of this.coveredBy(to)) {
        if (--this.left < 0) return;
        const { resource_uid: uid } = asset;
        if (!this.isReadable(from, asset, privilege)) continue;
        for (const node of this.nodesOf(uid, privilege)) {
          this.assembly.step(holder(), node, 'data_access', figure, [
            ...granted(),
            ...this.assembly.fact('iam', `It is one of ${estate.accessNodes.get(to)!.name}`, `scope:${to}`),
          ]);
        }
      }
      return;
    }
    const asset = estate.assets.get(to);
    if (asset === undefined || !this.isReadable(from, asset, privilege)) return;
    for (const node of this.nodesOf(to, privilege)) this.assembly.step(holder(), node, 'data_access', figure, granted());
  }

  /** The nodes that a privilege on a resource leads to, where something is won by it. */
  private nodesOf(uid: string, privilege: string): number[] {
    const nodes: number[] = [];
    // code is not won by the right to read or to change what it is configured with
    if (this.isGoal(uid, 'read') && !this.assembly.estate.runsCode(uid)) nodes.push(this.assembly.node(uid));
    if (privilege !== 'read' && this.isGoal(uid, 'write')) nodes.push(this.assembly.node(uid, 'write'));
    return nodes;
  }

  private isGoal(uid: string, by: 'read' | 'write'): boolean {
    const { estate, jewels } = this.assembly;
    if (by === 'write') {
      const made = ['deploys', 'triggers'] as const;
      const source = ['built_from', 'uses_image'] as const;
      return (
        made.some((kind) => estate.edgesOf(kind).outOf(uid).length > 0) || source.some((kind) => estate.edgesOf(kind).countInto(uid) > 0)
      );
    }
    return jewels.has(uid) || estate.edgesOf('credential_for').outOf(uid).length > 0;
  }

  /** Whether who may read a store may read what it keeps: encrypted with a customer's key it takes the right to decrypt, too. */
  private isReadable(from: string, { resource_uid, resource_type }: EstateAsset, privilege: string): boolean {
    if (privilege !== 'read' || !this.needsKey.has(resource_type)) return true;
    const { estate } = this.assembly;
    const keys = estate
      .edgesOf('encrypted_with')
      .outOf(resource_uid)
      .filter((key) => estate.assets.get(key)?.role === 'key');
    return keys.every((key) => this.decrypts.has(`${from}\n${key}`) || this.isKeyInScope(from, estate.assets.get(key)!));
  }

  private isKeyInScope(from: string, key: EstateAsset): boolean {
    return (this.keyScopes.get(from) ?? []).some((uid) => {
      const scope = this.assembly.estate.accessNodes.get(uid)?.scope;
      return scope !== null && scope !== undefined && coversLocated(scope, key);
    });
  }

  private coveredBy(uid: string): EstateAsset[] {
    const known = this.covered.get(uid);
    if (known !== undefined) return known;
    const { scope } = this.assembly.estate.accessNodes.get(uid)!;
    const found = this.worthwhile.filter((asset) => coversLocated(scope!, asset));
    this.covered.set(uid, found);
    return found;
  }
}
