/**
 * Mutation of synchronisation: {@link tilewright.verification.mutation.Mutations} drops or weakens the barriers,
 * waits and bound checks of a kernel one at a time, and the simulator has to notice each.
 */
package tilewright.verification.mutation;
