import { attackTactics, attackTechniques, nameOfTechnique, tacticsOfTechnique } from '../../../catalog/attack.js';
import { rulesByTechnique } from '../../../catalog/technique-rules.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { acrossEngines, askFindings } from '../../../kit/read/findings.js';

/** The engine whose findings are detections. */
const DETECTIONS = 'cdr';

interface Counts {
  detections: number;
  open_findings: number;
  rules: number;
}

export interface MitreTechnique extends Counts {
  technique_id: string;
  name: string | null;
}

export interface MitreCoverage {
  tactics: { tactic_id: string; name: string; covered: number; techniques: MitreTechnique[] }[];
  restrictedEngines: string[];
  degradedEngines: string[];
}

/** What is known of each technique, as far as the caller may read it. */
export async function mitreCoverage(context: EngineContext): Promise<MitreCoverage> {
  const { answers, restrictedEngines, degradedEngines } = await acrossEngines(context, ({ engine }) =>
    askFindings(context, engine, 'techniques', {}, context.services.config.FAN_OUT_TIMEOUT_MS),
  );
  const counts = new Map<string, Counts>(attackTechniques().map((id) => [id, nothing()]));
  const of = (technique: string): Counts => {
    const known = counts.get(technique) ?? nothing();
    counts.set(technique, known);
    return known;
  };
  for (const [technique, rules] of rulesByTechnique()) of(technique).rules = rules;
  for (const { facts, result } of answers)
    for (const { technique_id, total, open } of result) {
      const own = of(technique_id);
      if (facts.engine === DETECTIONS) own.detections += total;
      else own.open_findings += open;
    }
  const ids = [...counts.keys()].sort();
  const tactics = attackTactics().map(({ tactic_id, name }) => {
    const techniques = ids
      .filter((id) => tacticsOfTechnique(id)?.includes(tactic_id))
      .map((technique_id) => ({ technique_id, name: nameOfTechnique(technique_id), ...counts.get(technique_id)! }));
    return { tactic_id, name, covered: techniques.filter(isCovered).length, techniques };
  });
  return { tactics, restrictedEngines, degradedEngines };
}

const nothing = (): Counts => ({ detections: 0, open_findings: 0, rules: 0 });

/** Whether anything is known of a technique. */
export const isCovered = ({ detections, open_findings, rules }: Counts): boolean => detections + open_findings + rules > 0;
