/** Rows too long for registers, streamed through shared memory by bulk copies, and what is done with each. */
package tilewright.sm90.rows;
