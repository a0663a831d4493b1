/**
 * HTML of the site: pages converted from AsciiDoc, their template, the search index and the check of links.
 */
package tilewright.docs.html;
