/** Explores the schedules of one launch: stateless model checking with dynamic partial-order reduction. */
package tilewright.simulator.explore;
