/** What test/support/global-setup.cjs puts into the environment. @throws when it has not */
export const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: test/support/global-setup.cjs sets it`);
  return value;
};
