import type { EdgeInput, Observation } from '../../schema/observations.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { RunStart, SeenAsset } from '../../kit/engine/ingest-input.js';

/** Assets, and edges, written at a time. */
const BATCH = 200;

/** Takes the assets and edges of the reports of a run, and knows of which estates, or parts of them, they have told all. */
export class AssetDelivery {
  /** Estates that are told, with the parts of which all is. */
  private readonly estates = new Map<string, string[]>();
  private estate: string | null = null;
  private assets: SeenAsset[] = [];
  private edges: EdgeInput[] = [];
  private readonly seen = new Set<string>();

  constructor(
    private readonly write: (assets: readonly SeenAsset[], edges: readonly EdgeInput[], estate: string | null) => Promise<void> | void,
    /** Whether the run tells configurations of resources, or facts of scanners about them; known before the first where rules are evaluated over it. */
    public describes: boolean,
  ) {}

  async take(asset: SeenAsset): Promise<void> {
    this.describes ||= asset.configuration !== null || asset.told !== undefined;
    this.seen.add(asset.resource_uid);
    if (this.assets.push(asset) >= BATCH) await this.flush();
  }

  /** The resource of a finding: once, unless the finding tells facts about it. */
  async takeNamed(observation: Observation, told: SeenAsset['told'] | null): Promise<void> {
    const { resource_uid, resource_type, resource_name, provider, account_id, region } = observation;
    if (!told && this.seen.has(resource_uid)) return;
    await this.take({
      resource_uid,
      resource_type,
      resource_name,
      provider,
      account_id,
      region,
      configuration: null,
      ...(told && { told }),
    });
  }

  async takeEdge(edge: EdgeInput): Promise<void> {
    if (this.edges.push(edge) >= BATCH) await this.flush();
  }

  /** The report that is read tells all of an estate: what was taken before is not of it. */
  async tellEstate(estate: string): Promise<void> {
    if (estate !== this.estate) await this.flush();
    this.estates.set(estate, this.estates.get(estate) ?? []);
    this.estate = estate;
  }

  /** All of a part of the estate that is read is told. */
  tellWhole(part: string): void {
    if (this.estate !== null) this.estates.get(this.estate)?.push(part);
  }

  /** Ends what the run has not shown of what it has told whole: of the estates, or of parts alone where others were not answered. */
  async endUnseen({ context, run, isPartial }: { context: EngineContext; run: RunStart; isPartial: boolean }): Promise<void> {
    for (const [estate, parts] of this.estates) await context.services.ingest.unseen(context, run, estate, isPartial ? parts : 'all');
  }

  /** Another report follows: what was taken before is not of it. */
  async beginReport(): Promise<void> {
    await this.flush();
    this.estate = null;
  }

  /** Writes what was taken and is not written yet. */
  async flush(): Promise<void> {
    const [assets, edges] = [this.assets, this.edges];
    [this.assets, this.edges] = [[], []];
    if (assets.length > 0 || edges.length > 0) await this.write(assets, edges, this.estate);
  }
}
