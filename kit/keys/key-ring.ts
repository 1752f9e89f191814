import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../base/clock.js';
import { defineSystemCollection, type RowOf } from '../store/collection.js';
import { date, nullable, number, text, textOf } from '../store/fields.js';
import type { Database } from '../store/database.js';
import type { MasterKey } from './master-key.js';
import type { SystemCollection } from '../store/tenant-collection.js';
import { seal, unseal } from './seal.js';

/** How the keys of a purpose are made and replaced. */
export interface PurposeRules {
  /** Seconds for which a signature may still be shown after its key was replaced. */
  readonly signatureLife: number;
  /** RSA of 2,048 bits where others must verify with it who know no Ed25519. */
  readonly type?: 'rsa';
  /** Seconds for which a new key is known before it signs, where others than our own processes must learn of it. */
  readonly announced?: number;
}

/** What a ring's keys sign. */
export const KEY_PURPOSES = {
  // a session lives 12 hours; the rest is margin
  session: { signatureLife: 13 * 3600 },
  'auth-context': { signatureLife: 120 },
  // an invitation lives 72 hours; the rest is margin
  link: { signatureLife: 74 * 3600 },
  // a remembrance of a device lives 90 days
  device: { signatureLife: 91 * 86_400 },
  // identity providers take the next key from the metadata, by themselves or by the hand of an administrator
  'saml-request': { signatureLife: 3_600, type: 'rsa', announced: 14 * 86_400 },
} as const satisfies Readonly<Record<string, PurposeRules>>;
const rulesOf = (purpose: KeyPurpose): PurposeRules => KEY_PURPOSES[purpose];
export type KeyPurpose = keyof typeof KEY_PURPOSES;

/** Signs nothing yet · signs · is only verified with · is refused (decision 27). */
export type KeyState = 'pending' | 'active' | 'verify-only' | 'retired';

export const signingKeys = defineSystemCollection(
  'signing_keys',
  {
    purpose: textOf<KeyPurpose>(),
    generation: number,
    state: textOf<KeyState>(),
    public_key: text,
    /** PKCS 8 under AES-256-GCM: nonce, tag, ciphertext; null once nothing is signed with it any more. */
    private_key: nullable(text),
    created_at: date,
    /** When the present state ends; null when nothing but a rotation ends it. */
    state_until: nullable(date),
  },
  [{ key: { purpose: 1, generation: -1 } }],
);
type SigningKeyRow = RowOf<typeof signingKeys>;

export interface KeyRing {
  readonly purpose: KeyPurpose;
  /** The key to sign with now. */
  signingKey(): Promise<{ kid: string; key: KeyObject }>;
  /** The public key of exactly this `kid`, or null: unknown, of another purpose, or retired. */
  verificationKey(kid: string): Promise<KeyObject | null>;
  /** The private keys that sign now or will next, for what has to be told of them beforehand; the oldest first. */
  privateKeys(): Promise<{ kid: string; key: KeyObject; created_at: Date }[]>;
  /**
   * Makes the next key. It is `pending` until every process has had the time to read it, then it signs, and the one before is verified with
   * for as long as its signatures live. Two rotations at once make one key.
   * @returns the kid of the new key
   */
  rotate(): Promise<string>;
}

/** How old a process's copy of a ring may be, and how soon an unknown kid may make it read again; milliseconds. */
const COPY_LIFE = 30_000;
const RELOAD_PAUSE = 2_000;
/** Milliseconds for which a new key is `pending`: longer than the copy of any process lives. */
export const PENDING_TIME = 2 * COPY_LIFE;

const DUPLICATE = 11_000;
const isDuplicate = (error: unknown) => (error as { code?: number }).code === DUPLICATE;

const generate = promisify(generateKeyPair);
const newKeys = ({ type }: PurposeRules) => (type === 'rsa' ? generate('rsa', { modulusLength: 2_048 }) : generate('ed25519'));

interface Copy {
  readonly rows: ReadonlyMap<string, { state: KeyState; key: KeyObject }>;
  readonly signing: { kid: string; key: KeyObject };
  readonly readAt: number;
}

class StoredKeyRing implements KeyRing {
  private copy: Copy | null = null;
  private reading: Promise<Copy> | null = null;
  private readonly rows: SystemCollection<SigningKeyRow>;
  private readonly secret: Buffer;

  constructor(
    database: Database,
    masterKey: MasterKey,
    private readonly clock: Clock,
    readonly purpose: KeyPurpose,
  ) {
    this.rows = database.system(signingKeys);
    this.secret = masterKey.derive(`signing-keys/${purpose}`);
  }

  async signingKey() {
    return (await this.current()).signing;
  }

  async verificationKey(kid: string) {
    if (!this.isOwn(kid)) return null;
    let copy = await this.current();
    // Another process may have made the key since. The question holds nothing of the token, and is asked rarely.
    if (!copy.rows.has(kid) && this.clock.now().getTime() - copy.readAt >= RELOAD_PAUSE) copy = await this.read();
    const row = copy.rows.get(kid);
    return row && row.state !== 'retired' ? row.key : null;
  }

  async privateKeys() {
    await this.current();
    const rows = await this.rows.find({ purpose: this.purpose, state: { $in: ['active', 'pending'] } }, { sort: { generation: 1 } });
    return rows.map((row) => ({ kid: row._id, key: this.unseal(row), created_at: row.created_at }));
  }

  async rotate() {
    const [newest] = await this.rows.find({ purpose: this.purpose }, { sort: { generation: -1 }, limit: 1 });
    if (newest?.state === 'pending') return newest._id;
    const kid = await this.add((newest?.generation ?? 0) + 1, 'pending');
    await this.read();
    return kid;
  }

  /** Makes the first key unless another process was faster, and reads the ring. */
  async open(): Promise<this> {
    if ((await this.rows.count({ purpose: this.purpose })) === 0) await this.add(1, 'active');
    await this.read();
    return this;
  }

  private isOwn(kid: string): boolean {
    return kid.length <= 64 && kid.startsWith(`${this.purpose}.`) && /^[1-9]\d{0,8}$/.test(kid.slice(this.purpose.length + 1));
  }

  private current(): Promise<Copy> | Copy {
    return this.copy && this.clock.now().getTime() - this.copy.readAt < COPY_LIFE ? this.copy : this.read();
  }

  private read(): Promise<Copy> {
    this.reading ??= this.load().finally(() => (this.reading = null));
    return this.reading;
  }

  private async load(): Promise<Copy> {
    const readAt = this.clock.now().getTime();
    await this.advance(new Date(readAt));
    const rows = await this.rows.find({ purpose: this.purpose }, { sort: { generation: 1 } });
    const active = rows.findLast((row) => row.state === 'active');
    if (!active) throw new Error(`the key ring "${this.purpose}" has no active key`);
    const keys = rows.map((row) => [row._id, { state: row.state, key: createPublicKey(row.public_key) }] as const);
    this.copy = { rows: new Map(keys), signing: { kid: active._id, key: this.unseal(active) }, readAt };
    return this.copy;
  }

  /** Moves each key whose state has ended. Every step may be repeated, or done by several processes at once. */
  private async advance(now: Date): Promise<void> {
    const rows = await this.rows.find({ purpose: this.purpose, state: { $ne: 'retired' } }, { sort: { generation: 1 } });
    const ended = (row: SigningKeyRow) => row.state_until !== null && row.state_until <= now;
    for (const row of rows) {
      if (row.state === 'pending' && ended(row)) {
        await this.move(row, 'active', null);
        row.state = 'active';
      }
      if (row.state === 'verify-only' && ended(row)) await this.move(row, 'retired', null);
    }
    const newest = rows.findLast((row) => row.state === 'active');
    const until = new Date(now.getTime() + rulesOf(this.purpose).signatureLife * 1000 + PENDING_TIME);
    for (const row of rows) if (row.state === 'active' && row !== newest) await this.move(row, 'verify-only', until);
  }

  private async move(row: SigningKeyRow, state: KeyState, until: Date | null): Promise<void> {
    const erased = state === 'active' ? {} : { private_key: null };
    await this.rows.update({ _id: row._id, state: row.state }, { $set: { state, state_until: until, ...erased } });
  }

  private async add(generation: number, state: KeyState): Promise<string> {
    const kid = `${this.purpose}.${generation}`;
    const { announced } = rulesOf(this.purpose);
    const { publicKey, privateKey } = await newKeys(rulesOf(this.purpose));
    const now = this.clock.now();
    const row: SigningKeyRow = {
      _id: kid,
      purpose: this.purpose,
      generation,
      state,
      public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      private_key: this.seal(kid, privateKey),
      created_at: now,
      state_until: state === 'pending' ? new Date(now.getTime() + (announced === undefined ? PENDING_TIME : announced * 1000)) : null,
    };
    try {
      await this.rows.insert(row);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    return kid;
  }

  private seal(kid: string, key: KeyObject): string {
    return seal(this.secret, kid, key.export({ type: 'pkcs8', format: 'der' }));
  }

  private unseal(row: SigningKeyRow): KeyObject {
    try {
      const key = unseal(this.secret, row._id, row.private_key ?? '');
      return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    } catch {
      throw new Error(
        `the signing key "${row._id}" was made under another master key: set the PALISADE_SECRET, or the data folder, that it was made with`,
      );
    }
  }
}

/**
 * Opens the ring of one purpose: Ed25519 keys (RFC 8037), or RSA where the purpose says so, in the store, private keys encrypted under the master key. The first process to
 * start makes the first key, however many start at once.
 * @throws when the stored keys were made under another master key
 */
export function openKeyRing(services: { database: Database; masterKey: MasterKey; clock: Clock }, purpose: KeyPurpose): Promise<KeyRing> {
  return new StoredKeyRing(services.database, services.masterKey, services.clock, purpose).open();
}
