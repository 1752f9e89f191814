// What the build makes of files that are no scripts (scripts/build/pages.mjs).

declare module '*.css';

declare module '*.graphql' {
  const text: string;
  export default text;
}
