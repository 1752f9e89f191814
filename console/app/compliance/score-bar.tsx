/** A score out of 100: the number, and its length. */
export const ScoreBar = ({ score }: { readonly score: number }) => (
  <span class="score-bar">
    <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none">
      <rect width={score} height="8" />
    </svg>
    <span>{score} %</span>
  </span>
);
