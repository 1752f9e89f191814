// The thread that evaluates the rules over the inventory of one run: a tenant's rules and resources hold up nobody, and can be ended.
import type { AssetInput } from '../../importers/index.js';
import type { RuleVerdictEntry } from '../../kit/engine/rule-results.js';
import { serveThread } from '../../kit/work/thread-side.js';
import { PostureEvaluation, type EvaluationInput, type Judged, type SurroundingPart } from './evaluation.js';

/** What the thread answers when it begins. */
export interface EvaluationOpened {
  engines: readonly string[];
  kept: ReadonlySet<string>;
}
export type EvaluationRequest =
  | { surround: SurroundingPart }
  | { judge: AssetInput; aside?: readonly string[] }
  | { recall: AssetInput; stored: readonly RuleVerdictEntry[]; aside: readonly string[] };

serveThread((input: EvaluationInput) => {
  const evaluation = new PostureEvaluation(input);
  const { engines, kept } = evaluation;
  return {
    opened: { engines, kept } satisfies EvaluationOpened,
    ask(request: EvaluationRequest): Judged | null {
      if ('judge' in request) return evaluation.judge(request.judge, request.aside);
      if ('recall' in request) return evaluation.recall(request.recall, request.stored, request.aside);
      evaluation.surround(request.surround);
      return null;
    },
  };
});
