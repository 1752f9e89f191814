import type { IndicatorInput, Observation } from '../../schema/observations.js';
import { Batched } from './batched.js';

/** Values of indicators, and observations, that are handed on at a time at least: what a batch does to counts and to its run is written once. */
const MOST_VALUES = 2_000;
const MOST_OBSERVATIONS = 500;

/** Takes the indicators of one report, and what it observes, which indicators may name. */
export class IntelligenceDelivery {
  private readonly indicators: Batched<IndicatorInput>;
  private readonly observations: Batched<Observation>;

  constructor(write: {
    indicators(batch: readonly IndicatorInput[]): Promise<void>;
    observations(batch: readonly Observation[]): Promise<void>;
  }) {
    this.indicators = new Batched(
      (batch) => write.indicators(batch),
      MOST_VALUES,
      ({ values }) => values.length,
    );
    this.observations = new Batched((batch) => write.observations(batch), MOST_OBSERVATIONS);
  }

  takeIndicator = (indicator: IndicatorInput): Promise<void> => this.indicators.take(indicator);
  takeObservation = (observation: Observation): Promise<void> => this.observations.take(observation);

  /** Hands on what was taken and is not yet. */
  async flush(): Promise<void> {
    await this.indicators.flush();
    await this.observations.flush();
  }
}
