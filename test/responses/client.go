// Prints the status code or the error of Go's client, which has no retries for responses.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	client := http.Client{Timeout: 4 * time.Second}
	response, err := client.Get(os.Args[1])
	if err == nil {
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err == nil {
		fmt.Println(response.StatusCode)
		return
	}
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	// Without the part of the response that some errors quote.
	text, _, _ := strings.Cut(err.Error(), "; got")
	text, _, _ = strings.Cut(text, " \"")
	text, _, _ = strings.Cut(text, " (Client")
	fmt.Println(strings.TrimSuffix(text, ":"))
}
