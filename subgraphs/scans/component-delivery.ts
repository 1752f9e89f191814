import type { ComponentBatch } from '../../kit/engine/component-batch.js';
import type { ArtifactInput, ComponentInput, DependencyInput } from '../../schema/artifacts.js';
import type { DeliveredItem } from './report-items.js';

/** Components, and things with dependencies, that are written at a time; of a thing with very many some at a time. */
const MOST_COMPONENTS = 500;
const MOST_DEPENDENCIES = 500;
const MOST_NAMED = 5_000;

/** Takes the components of one report, and hands them on in batches, artifact by artifact. */
export class ComponentDelivery {
  /** The artifacts that the run has told of, by their ids. */
  readonly artifacts = new Map<string, ArtifactInput>();
  private artifact: ArtifactInput | null = null;
  private no = 0;
  private components: ComponentInput[] = [];
  private dependencies: DependencyInput[] = [];
  private named = 0;

  constructor(private readonly write: (batch: ComponentBatch) => Promise<void>) {}

  async take(item: Extract<DeliveredItem, { kind: 'artifact' | 'component' | 'dependency' }>): Promise<void> {
    if (item.kind === 'artifact') return this.begin(item.artifact);
    if (item.kind === 'component') this.components.push(item.component);
    else this.takeDependency(item.dependency);
    const isFull = this.components.length >= MOST_COMPONENTS || this.dependencies.length >= MOST_DEPENDENCIES || this.named >= MOST_NAMED;
    if (isFull) await this.flush();
  }

  /** Writes what was taken and is not written yet; of an artifact without any component that there are none. */
  async flush(): Promise<void> {
    const { artifact, components, dependencies } = this;
    if (artifact === null || (this.no > 0 && components.length === 0 && dependencies.length === 0)) return;
    [this.components, this.dependencies, this.named] = [[], [], 0];
    await this.write({ artifact, no: this.no++, components, dependencies });
  }

  private async begin(artifact: ArtifactInput): Promise<void> {
    await this.flush();
    this.artifact = artifact;
    this.no = 0;
    this.artifacts.set(artifact.artifact_id, artifact);
  }

  /** What one thing depends on is told in one piece by some documents, and one by one by others. */
  private takeDependency({ ref, on }: DependencyInput): void {
    const last = this.dependencies.at(-1);
    if (last?.ref === ref) this.dependencies[this.dependencies.length - 1] = { ref, on: [...last.on, ...on] };
    else this.dependencies.push({ ref, on });
    this.named += on.length;
  }
}
