/** How many random runs a property has: all of them in `npm run test:all`, and fewer otherwise. */
export const runs = (all: number, few: number): number => (process.env.MODE === 'all' ? all : few);
