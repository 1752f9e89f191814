import posture from './examples/posture-overview.graphql';
import risky from './examples/top-risky-assets.graphql';
import trend from './examples/trend.graphql';

/** The dashboards of docs/graphql.md, under the same titles. */
export const EXAMPLES = [
  { title: 'How the estate stands', query: posture },
  { title: 'The assets with most risk', query: risky },
  { title: 'How it went', query: trend },
] as const;
