/**
 * Programs for machines without a JDK: {@code export} writes a kernel that runs without Java, {@code bundle} packs
 * Tilewright with a Java runtime.
 */
package tilewright.cli.export;
