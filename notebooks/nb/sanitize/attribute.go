package sanitize

import (
	"net/url"
	"strings"
)

func commonAttribute(key string) bool {
	switch key {
	case "id", "class", "style", "role", "lang", "dir", "title", "tabindex":
		return true
	}
	return strings.HasPrefix(key, "aria-") && safeProperty(key)
}

// attribute cleans a value; ok is false when the attribute goes.
func (z *sanitizer) attribute(element, key, value string) (_ string, ok bool) {
	if z.Attr != nil {
		value = z.Attr(value)
	}
	switch {
	case key == "style":
		value = cleanStyle(value, z.IDPrefix)
		z.colours = z.colours || setsColour(value)
		return value, value != ""
	case key == "bgcolor":
		z.colours = true
	case key == "href" && (element == "a"):
		return z.reference(value)
	case key == "href" || key == "xlink:href": // SVG: use, gradients, image
		if strings.HasPrefix(value, "#") {
			return "#" + z.IDPrefix + value[1:], true
		}
		return value, element == "image" && isDataImage(value)
	case key == "src":
		if u, ok := z.attachment(value); ok {
			return u, true
		}
		if (element == "audio" || element == "video") && isMedia(value) || isDataImage(value) {
			return value, true
		}
		z.relative = true
		return cleanURL(value), urlKind(value) == "relative" && element == "img"
	case idAttributes[key] || key == "name":
		ids := strings.Fields(value)
		for i, id := range ids {
			if z.ID != nil {
				id = z.ID(id)
			}
			ids[i] = z.IDPrefix + id
		}
		return strings.Join(ids, " "), len(ids) > 0
	case strings.Contains(strings.ToLower(value), "url("):
		return safeValue(key, value, z.IDPrefix)
	}
	return value, true
}

// reference cleans the target of a link.
func (z *sanitizer) reference(value string) (string, bool) {
	value = cleanURL(value)
	if strings.HasPrefix(value, "#") {
		id := value[1:]
		if u, err := url.PathUnescape(id); err == nil {
			id = u
		}
		if z.ID != nil {
			id = z.ID(id)
		}
		return "#" + z.IDPrefix + id, true
	}
	switch urlKind(value) {
	case "http", "https", "mailto", "relative", "external":
		return value, true
	}
	return "", false
}

// attachment resolves attachment:name.
func (z *sanitizer) attachment(value string) (string, bool) {
	name, ok := strings.CutPrefix(value, "attachment:")
	if !ok {
		return "", false
	}
	bundle := z.Attachments[name]
	if bundle == nil {
		if u, err := url.PathUnescape(name); err == nil {
			bundle = z.Attachments[u]
		}
	}
	for _, mime := range []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"} {
		if data, ok := bundle[mime]; ok {
			return "data:" + mime + ";base64," + Base64(data), true
		}
	}
	return "", false
}
