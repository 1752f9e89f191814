import type { EdgeInput } from '../../schema/observations.js';
import type { SeenAsset } from '../../kit/engine/ingest-input.js';

/** Assets, and edges, written at a time. */
const BATCH = 200;

/** Takes the assets and edges of the reports of a run, and knows of which estates they have told all. */
export class AssetDelivery {
  readonly estates = new Set<string>();
  private estate: string | null = null;
  private assets: SeenAsset[] = [];
  private edges: EdgeInput[] = [];

  constructor(
    private readonly write: (assets: readonly SeenAsset[], edges: readonly EdgeInput[], estate: string | null) => Promise<void> | void,
    /** Whether the run tells configurations of resources, or facts of scanners about them; known before the first where rules are evaluated over it. */
    public describes: boolean,
  ) {}

  async take(asset: SeenAsset): Promise<void> {
    this.describes ||= asset.configuration !== null || asset.told !== undefined;
    if (this.assets.push(asset) >= BATCH) await this.flush();
  }

  async takeEdge(edge: EdgeInput): Promise<void> {
    if (this.edges.push(edge) >= BATCH) await this.flush();
  }

  /** The report that is read tells all of an estate. */
  tellEstate(estate: string): void {
    this.estates.add(estate);
    this.estate = estate;
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
